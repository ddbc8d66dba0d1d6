/** Endpoints of broadcast messages, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { broadcastMessages } from './broadcast-messages.endpoints.ts'

export const broadcastMessagesFeature = feature({ endpoints: section('Broadcast messages', broadcastMessages) })
