// Pages that are opened from a file have no workers: the browser forbids them. The site's search asks for one, so it
// gets a hidden frame that runs the same script and answers as a worker does.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.frame = frame
      const inside = frame.contentWindow
      inside.document.open()
      inside.document.write("<!doctype html><body></body>")
      inside.document.close()
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = (...names) => names.forEach(name => this.load(name))
      this.ready = this.load(address)
    }

    load(address) {
      const script = this.frame.contentDocument.createElement("script")
      script.src = address
      return new Promise(done => {
        script.onload = done
        this.frame.contentDocument.body.append(script)
      })
    }

    postMessage(data) {
      const inside = this.frame.contentWindow
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }
}
