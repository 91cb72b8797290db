/**
 * An id as one part of a path. A sender may choose the id `..`, and a URL loses such a part, percent-encoded or not. So it
 * gets a tilde in front, and so does an id that begins with one.
 */
export const pathPart = (id: string): string => encodeURIComponent(/^(?:~|\.{1,2}$)/.test(id) ? `~${id}` : id)

/** Reverses {@link pathPart}, after the part was decoded. */
export const idOfPart = (part: string): string => (part.startsWith('~') ? part.slice(1) : part)
