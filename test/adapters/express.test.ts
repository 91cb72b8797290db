import express from 'express'
import { expressSuites } from './express-suites.js'

expressSuites('Express 5', express)
