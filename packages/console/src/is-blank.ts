/**
 * Whether a reader sees nothing: white space, control and format characters, and what fonts show as nothing. The same as in the
 * core, which a test compares. The page cannot import the core.
 */
export const isBlank = (text: string): boolean =>
  !/[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
