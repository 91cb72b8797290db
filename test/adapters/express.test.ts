import express from 'express'
import { expressHandler } from '../../adapters/express.js'
import { listen } from './suite/listen.js'
import { adapterSuite } from './suite.js'

adapterSuite('Express 5', (receiver) => listen(express().all('/webhooks', expressHandler(receiver))))
