/** Sets the theme of the pages in this browser. */
import { Type } from 'typebox'
import { anyone } from '../../http/declare/rules.ts'
import { oneOf } from '../../http/parameters/schema.ts'
import { ownAddress } from '../frame/addresses.ts'
import { action } from '../frame/declaration.ts'
import { themes } from '../frame/theme.ts'

export const themePages = [
  action('POST /-/theme', {
    access: anyone(),
    beforeTerms: true,
    form: { theme: oneOf(...themes), back: Type.Optional(Type.String()) },
    act: ({ sent: { theme, back } }) => ({ redirect: ownAddress(back) ?? '/', theme }),
  }),
]
