#!/usr/bin/env node
import { runSandbox } from './program/run.js'

process.exitCode = await runSandbox(process.argv.slice(2))
