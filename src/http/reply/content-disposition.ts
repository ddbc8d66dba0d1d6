/** The `Content-Disposition` header of a download. */

/**
 * Whether a download is displayed or saved, and its file name. A name that isn't plain ASCII is sent in the extended form first, which
 * takes precedence in clients that know it, and then approximated in the basic form: some clients read `filename=` up to the end of the
 * header, and need it.
 */
export function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\w .,+~@()-]/gu, '_')
  const exact = plain === name ? '' : ` filename*=UTF-8''${extendedValue(name)};`
  return `${kind};${exact} filename="${plain}"`
}

/** Encodes a text as in RFC 8187, including characters that `encodeURIComponent` leaves and the RFC doesn't allow. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
