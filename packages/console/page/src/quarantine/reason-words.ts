/** Why a delivery is rejected. */
export const reasonWords = ({ code, detail }: { readonly code: string; readonly detail?: string }): string =>
  detail ? `${code}: ${detail}` : code
