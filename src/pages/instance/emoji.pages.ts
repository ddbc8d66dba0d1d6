/** Emoji by their names and by what they show, for text fields and the menu of reactions. */
import { Type } from 'typebox'
import { findEmoji } from '../../features/instance/emoji.ts'
import { anyone } from '../../http/declare/rules.ts'
import { page } from '../frame/declaration.ts'

const maxFound = 48

export const emojiPages = [
  page('GET /-/emoji', {
    access: anyone(),
    query: {
      search: Type.String({ maxLength: 50, default: '' }),
      limit: Type.Integer({ minimum: 1, maximum: maxFound, default: 8 }),
    },
    show({ sent }) {
      const bytes = Buffer.from(JSON.stringify(findEmoji(sent.search.toLowerCase(), sent.limit)))
      return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
    },
  }),
]
