module serverless-pv-controller.example/delay-proxy

go 1.26.0
