/** Endpoints and jobs of wikis, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { recordPagesJob } from './activity.jobs.ts'
import { wikis } from './wikis.endpoints.ts'
import { wikiJobs } from './wikis.jobs.ts'

export const wikisFeature = feature({ endpoints: section('Wikis', wikis), jobs: [...wikiJobs, recordPagesJob] })
