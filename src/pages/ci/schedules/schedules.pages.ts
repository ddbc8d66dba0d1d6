/** All pages and actions of pipeline schedules. */
import { scheduleFormPages } from './form.pages.ts'
import { scheduleListPages } from './list.pages.ts'
import { scheduleVariablePages } from './variables.pages.ts'

export const schedulePages = [...scheduleListPages, ...scheduleFormPages, ...scheduleVariablePages]
