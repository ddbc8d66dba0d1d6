/** Endpoints of statuses, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { statuses } from './statuses.endpoints.ts'

export const statusesFeature = feature({ endpoints: section('Commits', statuses) })
