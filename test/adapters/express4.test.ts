// @ts-expect-error -- the alias of the older major version comes without types
import express4 from 'express4'
import { expressSuites } from './express-suites.js'

expressSuites('Express 4', express4)
