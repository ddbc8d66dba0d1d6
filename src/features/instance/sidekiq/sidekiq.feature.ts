/** Endpoints of sidekiq, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { queueMetrics } from './sidekiq.endpoints.ts'

export const sidekiqFeature = feature({ endpoints: section('Monitoring', queueMetrics) })
