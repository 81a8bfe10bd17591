import { createCipheriv, createDecipheriv, createHash, createSecretKey, randomBytes } from 'node:crypto';

/** The least that a sealed ticket costs: AES-256-GCM, nonce and tag beside it. */
export function createSeal(secret: string) {
  const key = createSecretKey(createHash('sha256').update(secret).digest());
  return {
    close(text: string): string {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = [cipher.update(text), cipher.final()];
      return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64url');
    },
    /** @throws Error where the ticket is not ours */
    open(ticket: string): string {
      const bytes = Buffer.from(ticket, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
