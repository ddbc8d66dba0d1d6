/** The `Content-Disposition` header of a download. */

/**
 * Whether a download is shown or saved, and under which name. A name that isn't plain comes in the newer form first, which wins
 * where a client knows it, and then as far as the older form can hold it: some clients read `filename=` to the end, and need it.
 */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\w .,+~@()-]/gu, '_')
  const exact = plain === name ? '' : ` filename*=UTF-8''${extendedValue(name)};`
  return `${kind};${exact} filename="${plain}"`
}

/** A text as RFC 8187 has it in a header: what `encodeURIComponent` leaves and the RFC does not is encoded too. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
