/** Endpoints of freeze periods, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { freezePeriods } from './freeze-periods.endpoints.ts'

export const freezePeriodsFeature = feature({ endpoints: section('Environments', freezePeriods) })
