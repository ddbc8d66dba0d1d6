/** Endpoints of labels, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { labels } from './labels.endpoints.ts'

export const labelsFeature = feature({ endpoints: section('Labels', labels) })
