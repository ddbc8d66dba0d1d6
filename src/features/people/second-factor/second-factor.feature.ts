/** Endpoints of second factors, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { secondFactors } from './second-factor.endpoints.ts'

export const secondFactorFeature = feature({ endpoints: section('Users', secondFactors) })
