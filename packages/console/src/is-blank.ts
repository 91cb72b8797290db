/** Whether a reader sees nothing: white space and format characters, such as a space of width zero. The core rejects the same. */
export const isBlank = (text: string): boolean => !/[^\s\p{Cf}]/u.test(text)
