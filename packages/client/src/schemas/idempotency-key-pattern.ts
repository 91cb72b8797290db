/** 1 to 255 visible ASCII characters. Apart from its schema, so that the client does not load zod for it. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/
