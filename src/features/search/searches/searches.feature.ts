/** Endpoints of searches, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { searches } from './searches.endpoints.ts'

export const searchesFeature = feature({ endpoints: section('Search', searches) })
