/** Shortens an identifier to its prefix and its last six characters, which differ. */
export const shortId = (id: string) => (id.length > 13 ? id.replace(/^([a-z]+_).*(.{6})$/, '$1…$2') : id)
