/** Access to the endpoints of projects. */

import { cpuBudget } from '../../support/run/cpu.ts'
import { testAccess } from './matrix.ts'

cpuBudget(15, 'A part of the endpoints is asked by every rank.')

testAccess('projects')
