// Script of the page of a challenge: solves it and sends the form. A page without a secure context has no Web Crypto; its
// visitor uses the button.
;(async () => {
  const field = document.querySelector('[data-challenge]')
  const rest = document.querySelector('[data-rest]')
  if (!globalThis.crypto?.subtle) return
  rest.hidden = true
  try {
    const { challenge } = JSON.parse(field.value)
    const { nonce, salt, cost, keyLength, keyPrefix } = challenge.parameters
    const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16))
    const start = bytesOf(nonce)
    const password = new Uint8Array(start.length + 4)
    password.set(start)
    const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt: bytesOf(salt), iterations: cost }
    for (let counter = 0; ; counter += 1) {
      new DataView(password.buffer).setUint32(start.length, counter)
      const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
      const bits = new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, keyLength * 8))
      const derivedKey = Array.from(bits, (byte) => byte.toString(16).padStart(2, '0')).join('')
      if (!derivedKey.startsWith(keyPrefix)) continue
      field.value = JSON.stringify({ challenge, solution: { counter, derivedKey } })
      // A field can have the name of the method.
      return HTMLFormElement.prototype.submit.call(field.form)
    }
  } catch {
    rest.hidden = false
  }
})()
