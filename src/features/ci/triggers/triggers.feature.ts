/** Endpoints of triggers, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { triggers } from './triggers.endpoints.ts'

export const triggersFeature = feature({ endpoints: section('Pipeline triggers', triggers) })
