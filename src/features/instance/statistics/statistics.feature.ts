/** Endpoints of statistics, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { statistics } from './statistics.endpoints.ts'

export const statisticsFeature = feature({ endpoints: section('Version', statistics) })
