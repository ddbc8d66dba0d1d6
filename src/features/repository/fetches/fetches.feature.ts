/** Endpoints of fetch counts, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { fetches } from './fetches.endpoints.ts'

export const fetchesFeature = feature({ endpoints: section('Repository', fetches) })
