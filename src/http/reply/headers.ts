/** Headers of every answer, whichever code writes it. */

/** JSON is always UTF-8, and some clients only accept exactly this type. */
export const jsonType = 'application/json'

/** Browsers must neither guess types nor run the content. Pages and user files have policies of their own. */
export const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
