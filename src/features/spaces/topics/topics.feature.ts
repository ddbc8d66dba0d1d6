/** Endpoints of topics, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { topics } from './topics.endpoints.ts'

export const topicsFeature = feature({ endpoints: section('Topics', topics) })
