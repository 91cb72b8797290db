/** Minor units as a decimal with two fraction digits, with a minus sign if negative. */
export function toDecimal(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
