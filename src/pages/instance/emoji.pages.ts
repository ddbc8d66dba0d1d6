/** Emoji whose names have a prefix, for text fields. */
import { Type } from 'typebox'
import { findEmoji } from '../../features/instance/emoji.ts'
import { anyone } from '../../http/declare/rules.ts'
import { page } from '../frame/declaration.ts'

const limit = 8

export const emojiPages = [
  page('GET /-/emoji', {
    access: anyone(),
    query: { search: Type.String({ maxLength: 50, default: '' }) },
    show({ sent }) {
      const bytes = Buffer.from(JSON.stringify(findEmoji(sent.search.toLowerCase(), limit)))
      return { bytes: { size: bytes.length, describe: () => ({ type: 'application/json' }), open: () => bytes } }
    },
  }),
]
