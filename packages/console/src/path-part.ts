/**
 * An id as one part of a path. A sender may use the id `..`, and a URL loses such a part, even percent-encoded. So the id gets
 * a tilde in front. An id that begins with a tilde gets one too.
 */
export const pathPart = (id: string): string => encodeURIComponent(/^(?:~|\.{1,2}$)/.test(id) ? `~${id}` : id)

/** Reverses {@link pathPart}, after the part was decoded. */
export const idOfPart = (part: string): string => (part.startsWith('~') ? part.slice(1) : part)
