/** Sets the theme and the language of the pages in this browser. */
import { Type } from 'typebox'
import { type Language, languages } from '../../html/language.ts'
import { anyone } from '../../http/declare/rules.ts'
import { oneOf } from '../../http/parameters/schema.ts'
import { ownAddress } from '../frame/addresses.ts'
import { themes } from '../frame/choices.ts'
import { action } from '../frame/declaration.ts'

const back = Type.Optional(Type.String())

export const choicePages = [
  action('POST /-/theme', {
    access: anyone(),
    beforeTerms: true,
    form: { theme: oneOf(...themes), back },
    act: ({ sent }) => ({ redirect: ownAddress(sent.back) ?? '/', theme: sent.theme }),
  }),
  action('POST /-/language', {
    access: anyone(),
    beforeTerms: true,
    form: { language: oneOf(...(Object.keys(languages) as Language[])), back },
    act: ({ sent }) => ({ redirect: ownAddress(sent.back) ?? '/', language: sent.language }),
  }),
]
