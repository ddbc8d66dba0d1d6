/** Endpoints and jobs of services, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { services } from './services.endpoints.ts'
import { followElsewhereJob, propagateJob } from './services.jobs.ts'

export const servicesFeature = feature({ endpoints: section('Integrations', services), jobs: [propagateJob, followElsewhereJob] })
