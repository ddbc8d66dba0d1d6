/** Endpoints of following users, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { follows } from './follows.endpoints.ts'

export const followsFeature = feature({ endpoints: section('Users', follows) })
