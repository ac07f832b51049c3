// Signs a package for Chromium (CRX3): a header in protobuf, then the zip.
// https://chromium.googlesource.com/chromium/src/+/main/components/crx_file/crx3.proto

import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'

/** The public key of a private one (PEM), in DER. */
export const publicKeyOf = pem => createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' })

const hash = publicKey => createHash('sha256').update(publicKey).digest().subarray(0, 16)

/** The extension id that follows from a public key in DER. */
export const idOf = publicKey => hash(publicKey).toString('hex').replace(/./g, digit => String.fromCharCode(97 + parseInt(digit, 16)))

/** The signed package of a zip. */
export function crx(zip, pem) {
  const publicKey = publicKeyOf(pem)
  const signedData = field(1, hash(publicKey)) // SignedData.crx_id
  const signature = sign('sha256', Buffer.concat([Buffer.from('CRX3 SignedData\0'), uint32(signedData.length), signedData, zip]), createPrivateKey(pem))
  // CrxFileHeader: sha256_with_rsa and signed_header_data.
  const header = Buffer.concat([field(2, Buffer.concat([field(1, publicKey), field(2, signature)])), field(10_000, signedData)])
  return Buffer.concat([Buffer.from('Cr24'), uint32(3), uint32(header.length), header, zip])
}

/** A field of bytes in protobuf. */
const field = (number, bytes) => Buffer.concat([varint(number << 3 | 2), varint(bytes.length), bytes])

function varint(n) {
  const bytes = []
  for (; n > 127; n >>>= 7) bytes.push(n & 127 | 128)
  return Buffer.from([...bytes, n])
}

function uint32(n) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(n)
  return bytes
}
