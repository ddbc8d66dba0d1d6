/** Headers of every answer, whatever writes it. */

/** JSON is UTF-8 without a word of it, and some clients read JSON only with exactly this type. */
export const jsonType = 'application/json'

/** Browsers neither guess types nor run what is answered. Pages and the bytes of users have policies of their own. */
export const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}
