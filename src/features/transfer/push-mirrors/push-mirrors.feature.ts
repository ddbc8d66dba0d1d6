/** Endpoints and jobs of push mirrors, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { pushMirrors } from './push-mirrors.endpoints.ts'
import { pushMirrorJobs } from './push-mirrors.jobs.ts'

export const pushMirrorsFeature = feature({ endpoints: section('Mirrors', pushMirrors), jobs: pushMirrorJobs })
