/** Endpoints of settings, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { settings } from './settings.endpoints.ts'

export const settingsFeature = feature({ endpoints: section('Settings', settings) })
