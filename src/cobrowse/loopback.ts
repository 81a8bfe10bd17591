/** Whether a URL's hostname is this machine by its very form. Names other than `localhost` are not looked up. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
