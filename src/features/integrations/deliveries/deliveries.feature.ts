/** Endpoints and jobs of deliveries, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { askBuildJob } from './builds.jobs.ts'
import { deliveries } from './deliveries.endpoints.ts'
import { webhookJobs } from './deliveries.jobs.ts'
import { integrationDeliveries } from './services.endpoints.ts'
import { wikiPagesJob } from './wiki-pages.jobs.ts'

export const deliveriesFeature = feature({
  endpoints: [...section('Webhooks', deliveries), ...section('Integrations', integrationDeliveries)],
  jobs: [...webhookJobs, wikiPagesJob, askBuildJob],
})
