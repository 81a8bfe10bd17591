/** What the watch page draws of the page a visitor looks at. */
export interface ShopPage {
  /** Host and path; never the query string. */
  readonly address: string;
  readonly title: string;
  readonly rows: readonly (readonly [label: string, detail: string])[];
  /** The button at the end of the page. */
  readonly action: string;
}

const pages = {
  products: {
    title: 'All products',
    rows: [
      ['Garden chair', '$89'],
      ['Desk lamp', '$42'],
      ['Oak shelf', '$129'],
      ['Wool blanket', '$65'],
    ],
    action: 'Add to cart',
  },
  cart: {
    title: 'Your cart',
    rows: [
      ['Garden chair, 2 pieces', '$178'],
      ['Desk lamp', '$42'],
      ['Shipping', '$9'],
    ],
    action: 'Check out',
  },
  checkout: {
    title: 'Checkout',
    rows: [
      ['Name', '••••••••'],
      ['Delivery address', '••••••••'],
      ['Card number', 'hidden from agents'],
      ['Total', '$229'],
    ],
    action: 'Pay now',
  },
  account: {
    title: 'Your account',
    rows: [
      ['Orders', '3'],
      ['Addresses', '2'],
      ['Newsletter', 'off'],
    ],
    action: 'Save',
  },
  help: {
    title: 'Help',
    rows: [
      ['Where is my order?', 'Read'],
      ['How do I return something?', 'Read'],
      ['Talk to us', 'Chat'],
    ],
    action: 'Ask a question',
  },
} as const;

/** The pages of the shop visitors wander through. */
export const shopPaths: readonly string[] = [
  '/',
  '/products',
  '/products/garden-chair',
  '/products/desk-lamp',
  '/cart',
  '/checkout',
  '/account',
  '/help/returns',
];

const longestAddress = 120;

/** The drawn page for the address a visitor is on. */
export function shopPage(lastUrl: string | null): ShopPage {
  const url = lastUrl === null ? null : URL.parse(lastUrl);
  if (!url) return { ...pages.products, address: 'unknown page', title: 'A page we cannot see' };
  const full = `${url.host}${url.pathname}`;
  const address = full.length > longestAddress ? `${full.slice(0, longestAddress - 1)}…` : full;
  if (url.pathname.startsWith('/cart')) return { ...pages.cart, address };
  if (url.pathname.startsWith('/checkout')) return { ...pages.checkout, address };
  if (url.pathname.startsWith('/account')) return { ...pages.account, address };
  if (url.pathname.startsWith('/help')) return { ...pages.help, address };
  return { ...pages.products, address };
}
