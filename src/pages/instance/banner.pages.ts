/** Messages to everybody: this browser has seen them. */
import { Type } from 'typebox'
import { anyone } from '../../http/rules.ts'
import { ownAddress } from '../frame/addresses.ts'
import { dismissedCookie, dismissedKeys } from '../frame/banners.ts'
import { action } from '../frame/declaration.ts'

export const bannerPages = [
  action('POST /-/broadcast_messages/dismiss', {
    access: anyone(),
    form: { gone: Type.String({ default: '' }), return_to: Type.Optional(Type.String()) },
    beforeTerms: true,
    act: ({ sent }) => ({ redirect: ownAddress(sent.return_to) ?? '/', cookies: { [dismissedCookie]: dismissedKeys(sent.gone) } }),
  }),
]
