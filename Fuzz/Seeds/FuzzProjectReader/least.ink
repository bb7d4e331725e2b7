{"version":"1.0","canvasSize":{"width":1,"height":1},"layers":[]}
