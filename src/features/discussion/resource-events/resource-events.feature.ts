/** Endpoints of resource events, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { resourceEvents } from './resource-events.endpoints.ts'

export const resourceEventsFeature = feature({ endpoints: section('Issues', resourceEvents) })
