/** Endpoints of badges, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { badges } from './badges.endpoints.ts'

export const badgesFeature = feature({ endpoints: section('Badges', badges) })
