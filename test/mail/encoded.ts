import type { EncodedMessage } from '../../src/mail/delivery/mime/encoded-message.ts'

/** Returns a message to this address, of about this many bytes. */
export const encoded = (to: string, size = 10_000): EncodedMessage => ({
  ...{ messageId: `<${to}>`, from: 'ada@example.com', to: [to] },
  raw: Buffer.from(`Subject: x\r\n\r\n${'x'.repeat(70)}\r\n`.repeat(size / 72)),
})
