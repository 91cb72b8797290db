/** `1,284`. The same in each locale, as the words around it. */
export const digits = (count: number): string => count.toLocaleString('en')
