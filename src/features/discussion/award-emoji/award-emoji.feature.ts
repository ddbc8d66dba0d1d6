/** Endpoints of award emoji, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { awardEmoji } from './award-emoji.endpoints.ts'

export const awardEmojiFeature = feature({ endpoints: section('Award emoji', awardEmoji) })
