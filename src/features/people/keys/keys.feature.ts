/** Endpoints and jobs of keys, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { keys } from './keys.endpoints.ts'
import { keyJobs } from './keys.jobs.ts'

export const keysFeature = feature({ endpoints: section('SSH keys', keys), jobs: keyJobs })
