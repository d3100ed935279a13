// `holdfast server` with one thing added: it goes when whoever measures it is gone, however that went.
process.on('disconnect', () => process.exit(1))
process.channel.unref()
await import('../../dist/cli/main.js')
