module shoal/stores/proxy

go 1.21
