/** The bytes of a BLOB column. libsql gives a `Buffer` from `get` and an `ArrayBuffer` from `all`. */
export function bytesOf(blob: ArrayBuffer | Uint8Array): Buffer {
  return blob instanceof ArrayBuffer
    ? Buffer.from(blob)
    : Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength)
}
